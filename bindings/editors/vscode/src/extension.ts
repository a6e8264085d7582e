import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** Files that begin with one of these keys are ours; other YAML is none of our business. */
const HEAD = /^(?:\s*\{?\s*"?)sonometer(?:_metric|_blueprint|_stage)?"?\s*:/m;
/** How much of a file is looked at for that: comments may stand before the key. */
const HEAD_LENGTH = 4_000;

let client: LanguageClient | undefined;

function options(): LanguageClientOptions {
  const languages = ["yaml", "json"].map((language) => ({ language }));
  const isOurs = (text: string): boolean => HEAD.test(text.slice(0, HEAD_LENGTH));
  return {
    documentSelector: languages,
    middleware: {
      // Files of others are never sent to the server.
      didOpen: (document, next) => (isOurs(document.getText()) ? next(document) : Promise.resolve()),
      didChange: async (event, next) => {
        if (isOurs(event.document.getText())) {
          await next(event);
        }
      },
      provideCompletionItem: (document, position, context, token, next) =>
        isOurs(document.getText()) ? next(document, position, context, token) : undefined,
      provideHover: (document, position, token, next) =>
        isOurs(document.getText()) ? next(document, position, token) : undefined,
      provideCodeActions: (document, range, context, token, next) =>
        isOurs(document.getText()) ? next(document, range, context, token) : undefined,
      provideCodeLenses: (document, token, next) => (isOurs(document.getText()) ? next(document, token) : undefined),
      provideDocumentSymbols: (document, token, next) =>
        isOurs(document.getText()) ? next(document, token) : undefined,
      provideDocumentSemanticTokens: (document, token, next) =>
        isOurs(document.getText()) ? next(document, token) : undefined,
      provideDocumentFormattingEdits: (document, formatting, token, next) =>
        isOurs(document.getText()) ? next(document, formatting, token) : undefined,
    },
  };
}

async function start(): Promise<void> {
  const command = workspace.getConfiguration("sonometer").get<string>("command", "sonometer");
  const server: ServerOptions = { command, args: ["lsp"] };
  client = new LanguageClient("sonometer", "Sonometer", server, options());
  try {
    await client.start();
  } catch {
    client = undefined;
    await window.showErrorMessage(
      `${command} lsp did not start; install the command (cargo install sonometer-cli), or set sonometer.command to its path.`,
    );
  }
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("sonometer.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
