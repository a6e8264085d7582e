-- Neovim with the recipe of docs/editors.md: a finding arrives, its explanation on hover, the normal form.
local function fail(message)
  io.stderr:write(message .. "\n")
  vim.cmd("cquit 1")
end

-- An error must end the editor, which would wait for a key otherwise.
local ended, why = pcall(function()
  local page = io.open("docs/editors.md"):read("*a")
  local recipe = page:match("```lua neovim%-0%.7%.lua\n(.-)```")
  if not recipe then fail("docs/editors.md has no recipe for Neovim 0.7") end
  if vim.lsp.start then
    -- The recipe of newer versions stands first.
    recipe = page:match("```lua\n(.-)```")
  end
  loadstring(recipe)()

  local path = vim.fn.tempname() .. ".yaml"
  local file = io.open(path, "w")
  file:write("sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy:  Signal\nmarkers:\n  - label: a\n    stong: b c\n    hit: b c\n")
  file:close()
  vim.cmd("filetype on")
  vim.cmd("edit " .. path)
  vim.bo.filetype = "yaml"

  local found = vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 50)
  if not found then fail("no finding arrives") end
  local message = vim.diagnostic.get(0)[1].message
  if not message:find("stong") then fail("another finding: " .. message) end

  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = 6, character = 5 },
  }, 20000)
  local hover = vim.inspect(answers)
  if not hover:find("SM0302") then fail("no explanation: " .. hover) end

  vim.api.nvim_buf_set_lines(0, 6, 7, false, { "    strong: b c" })
  if not vim.wait(20000, function() return #vim.diagnostic.get(0) == 0 end, 50) then fail("the finding stays") end
  if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 20000 }) else vim.lsp.buf.formatting_sync(nil, 20000) end
  local line = vim.api.nvim_buf_get_lines(0, 3, 4, false)[1]
  if line ~= "taxonomy: Signal" then fail("not in the normal form: " .. line) end
end)
if not ended then fail(why) end
vim.cmd("qall!")
