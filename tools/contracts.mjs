// Compiles the Solidity test contracts with the pinned compiler.
//
//   node tools/contracts.mjs write|check
//
// `write` makes oda-chain-evm/contracts/artifacts/<Name>.json from <Name>.sol; `check` compares them
// with what is there and changes nothing. ODA_SOLC names the installed `solc` package.
// `cargo xtask contracts [--check]` installs the compiler and calls this.

import { createRequire } from "node:module";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = join(root, "oda-chain-evm", "contracts");
const artifacts = join(sources, "artifacts");

// No metadata at the end of the code: it would hold a hash of the source with its comments, and
// a better comment would change the bytecode. `cancun` is the oldest rule set that every node
// and embedded machine used in the tests runs.
const settings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

function main([mode]) {
  if (mode !== "write" && mode !== "check") fail("usage: node tools/contracts.mjs write|check");
  const made = compileAll(loadPinnedCompiler());
  const stale = filesThatDiffer(made);
  if (mode === "check") {
    if (stale.length > 0) {
      fail(`not what the pinned compiler makes of the source: ${stale.join(", ")}\n` +
        "run `cargo xtask contracts` and commit the result");
    }
    console.log(`${made.size} artifacts are what the pinned compiler makes of their sources`);
    return;
  }
  mkdirSync(artifacts, { recursive: true });
  for (const [file, text] of made) writeFileSync(join(artifacts, file), text);
  console.log(stale.length > 0 ? `written anew: ${stale.join(", ")}` : "nothing changed");
}

function loadPinnedCompiler() {
  const folder = process.env.ODA_SOLC;
  if (!folder) fail("ODA_SOLC is not set: it names the folder of the installed `solc` package");
  const require = createRequire(import.meta.url);
  const compiler = require(folder);
  const pinned = JSON.parse(readFileSync(join(root, "tools", "package.json"), "utf8")).dependencies.solc;
  if (!compiler.version().startsWith(`${pinned}+`)) {
    fail(`${folder} is solc ${compiler.version()}, and tools/package.json pins ${pinned}`);
  }
  return compiler;
}

// One compilation for each file: a source's artifact never depends on its neighbours.
function compileAll(compiler) {
  const names = readdirSync(sources).filter((file) => file.endsWith(".sol")).sort();
  if (names.length === 0) fail(`no .sol file in ${sources}`);
  return new Map(names.map((file) => [`${basename(file, ".sol")}.json`, compile(compiler, file)]));
}

function compile(compiler, file) {
  const name = basename(file, ".sol");
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(join(sources, file), "utf8") } },
    settings: {
      ...settings,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
    },
  };
  const output = JSON.parse(compiler.compile(JSON.stringify(input)));
  // Warnings count: the sources are small enough to have none.
  const complaints = (output.errors ?? []).map((error) => error.formattedMessage);
  if (complaints.length > 0) fail(complaints.join("\n"));
  const contract = output.contracts[file][name];
  if (!contract) fail(`${file} does not define a contract named ${name}`);
  const artifact = {
    contractName: name,
    sourceName: file,
    compiler: { name: "solc", version: compiler.version(), settings },
    abi: contract.abi,
    bytecode: `0x${contract.evm.bytecode.object}`,
    deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
  };
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

// Both ways round: an artifact without a source is as wrong as one that is out of date.
function filesThatDiffer(made) {
  const stale = [...made].filter(([file, text]) => text !== readIfThere(join(artifacts, file))).map(([file]) => file);
  const orphans = listIfThere(artifacts).filter((file) => !made.has(file));
  return [...stale, ...orphans.map((file) => `${file} (no such source)`)];
}

function readIfThere(path) {
  return absentAs(undefined, () => readFileSync(path, "utf8"));
}

function listIfThere(folder) {
  return absentAs([], () => readdirSync(folder));
}

function absentAs(fallback, read) {
  try {
    return read();
  } catch (error) {
    if (error.code === "ENOENT") return fallback;
    throw error;
  }
}

function fail(message) {
  console.error(`contracts: ${message}`);
  process.exit(1);
}

main(process.argv.slice(2));
