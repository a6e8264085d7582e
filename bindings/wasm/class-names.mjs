// usage: class-names.mjs FILE: of the names that esbuild's `--keep-names` keeps in a bundle, leaves those of classes, which people see in
// consoles. Those of functions, and of the classes of the glue within ours, would be sent to every browser, and nobody sees them.
import { readFileSync, writeFileSync } from 'node:fs';

const [, , path] = process.argv;
const bundle = readFileSync(path, 'utf8');
// esbuild's helper, which it calls as it likes: `var o=(f,name)=>define(f,"name",{value:name,configurable:!0})`.
const helper = /var ([\w$]+)=\([\w$]+,[\w$]+\)=>[\w$]+\([\w$]+,"name",/.exec(bundle)?.[1];
if (helper === undefined) throw new Error(`${path}: no helper that keeps names; does esbuild still write it?`);
// A declaration of a function is followed by its name; classes have a capital.
const call = new RegExp(`(?<=[};])${helper.replaceAll('$', '\\$')}\\([\\w$]+,"[a-z]\\w*"\\);`, 'g');
// What wasm-bindgen writes begins with one of these two methods.
const glue = new RegExp(`static\\{${helper.replaceAll('$', '\\$')}\\(this,"\\w+"\\)\\}(?=static __wrap\\(|__destroy_into_raw\\()`, 'g');
writeFileSync(path, bundle.replace(call, '').replace(glue, ''));
