'use strict';
// Runs inside VS Code's extension host, on a desktop (test/desktop/run.ts) or in the server (test/vscode/in-host.e2e.ts).
const assert = require('node:assert/strict');
const path = require('node:path');
const { setTimeout } = require('node:timers/promises');
const vscode = require('vscode');

const ID = 'robo-smith.robo-smith-extension';
const TRIES = 200;
const PAUSE_MS = 50;

/** Resolves with the result of `look` as soon as it is truthy; rejects after ten seconds. */
async function until(look, what) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await look();
    if (found) return found;
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`timeout: ${what}`);
}

/** Returns the position of a text plus a number of characters. */
function at(document, text, plus) {
  const offset = document.getText().indexOf(text);
  assert.notEqual(offset, -1, `${text} is not in ${document.uri.path}`);
  return document.positionAt(offset + plus);
}

const labelsAt = async (document, text, plus) => {
  const list = await vscode.commands.executeCommand(
    'vscode.executeCompletionItemProvider',
    document.uri,
    at(document, text, plus),
  );
  return list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
};

const has = (list, ...wanted) => {
  for (const one of wanted) assert.ok(list.includes(one), `${one} is not in ${list.join(', ')}`);
};

/** Test cases by name. Each checks the two documents. */
const CASES = {
  'all commands of package.json are registered': async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    const { contributes } = vscode.extensions.getExtension(ID).packageJSON;
    has([...known], ...contributes.commands.map(({ command }) => command));
  },
  'a fault is a diagnostic with its code': async ({ main }) => {
    const list = await until(() => {
      const found = vscode.languages.getDiagnostics(main.uri).filter(({ source }) => source === 'RoboSmith');
      return found.length > 0 && found;
    }, 'a diagnostic');
    assert.deepEqual(
      list.map(({ code }) => code),
      ['RS2015'],
    );
  },
  'the fault has quick fixes': async ({ main }) => {
    const position = at(main, 'Dnoe', 1);
    const actions = await vscode.commands.executeCommand(
      'vscode.executeCodeActionProvider',
      main.uri,
      new vscode.Range(position, position),
    );
    has(
      actions.map(({ title }) => title),
      'Replace with "Done"',
      'Create the block "Dnoe" in Feature',
    );
  },
  'blocks complete an action': async ({ main }) =>
    has(await labelsAt(main, 'CALL:Review:', 'CALL:Review:'.length), 'Write', 'Done', 'Review__Read'),
  'nodes of an import complete a call': async ({ main }) =>
    has(await labelsAt(main, 'CALL:Review', 'CALL:'.length), 'Feature', 'Review'),
  'whole actions are offered': async ({ main }) =>
    has(await labelsAt(main, 'HALT_AND_FLAG', 0), 'JUMP:Done', 'RETURN', 'CALL:Review'),
  'signals are offered': async ({ main }) =>
    has(await labelsAt(main, 'SIGNAL:FAIL_DEFAULT', 3), 'SIGNAL:SUCCESS', 'SIGNAL:FAIL_DEFAULT'),
  'workers are offered': async ({ main }) =>
    has(await labelsAt(main, '"worker": "', '"worker": "'.length), 'Worker:Coder', 'Internal:TestRunner'),
  'keys are offered in an imported file': async ({ shared }) =>
    has(await labelsAt(shared, '"entry_block"', 1), 'static_memory', 'max_steps'),
  'a definition lies in the imported file': async ({ main, shared }) => {
    const found = await vscode.commands.executeCommand(
      'vscode.executeDefinitionProvider',
      main.uri,
      at(main, 'CALL:Review', 6),
    );
    assert.deepEqual(
      found.map(({ uri }) => uri.path),
      [shared.uri.path],
    );
  },
  'references lie in both files': async ({ main, shared }) => {
    const found = await vscode.commands.executeCommand(
      'vscode.executeReferenceProvider',
      shared.uri,
      at(shared, '"Review"', 2),
    );
    assert.deepEqual(
      found.map(({ uri }) => path.posix.basename(uri.path)).sort(),
      [main, shared].map(({ uri }) => path.posix.basename(uri.path)).sort(),
    );
  },
  'a rename changes both files': async ({ shared }) => {
    const edit = await vscode.commands.executeCommand(
      'vscode.executeDocumentRenameProvider',
      shared.uri,
      at(shared, '"Review"', 2),
      'Audit',
    );
    assert.deepEqual(
      edit.entries().map(([uri, edits]) => [path.posix.basename(uri.path), edits.map(({ newText }) => newText)]),
      [
        ['shared.json', ['Audit']],
        ['workflows.json', ['Audit']],
      ],
    );
  },
  'a block is explained': async ({ main }) => {
    const found = await vscode.commands.executeCommand('vscode.executeHoverProvider', main.uri, at(main, '"Write"', 2));
    const text = found.flatMap(({ contents }) => contents.map((one) => one.value)).join('\n');
    assert.match(text, /block&nbsp;Feature/);
  },
  'a key is explained by the schema': async ({ main }) => {
    const found = await vscode.commands.executeCommand(
      'vscode.executeHoverProvider',
      main.uri,
      at(main, '"entry_block"', 2),
    );
    const text = found.flatMap(({ contents }) => contents.map((one) => one.value)).join('\n');
    assert.match(text, /executed first when the node is entered/);
  },
  'the outline has nodes and blocks': async ({ main }) => {
    const symbols = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', main.uri);
    const node = symbols.find(
      ({ name, children }) => name === 'Feature' && children.some((one) => one.name === 'Write'),
    );
    assert.ok(node, 'no node Feature');
  },
  'a node has three lenses': async ({ main }) => {
    const found = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', main.uri, 10);
    assert.deepEqual(found.map(({ command }) => command.command).sort(), [
      'roboSmith.runNode',
      'roboSmith.showNode',
      'roboSmith.simulateNode',
    ]);
  },
  'unsaved text counts in all files': async ({ main, shared }) => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(shared.uri, at(shared, '"Review"', 0), '"Fresh": { "entry_block": "A", "blocks": {} }, ');
    await vscode.workspace.applyEdit(edit);
    has(await labelsAt(main, 'CALL:Review', 'CALL:'.length), 'Fresh');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  },
};

exports.run = async () => {
  const [folder] = vscode.workspace.workspaceFolders;
  await vscode.extensions.getExtension(ID).activate();
  const open = (name) =>
    vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, '.vision', name)).then((document) => document);
  const [main, shared] = [await open('workflows.json'), await open('shared.json')];
  await vscode.window.showTextDocument(main);
  await vscode.window.showTextDocument(shared);
  const failed = [];
  await until(async () => (await labelsAt(main, 'CALL:Review', 'CALL:'.length)).includes('Review'), 'the language');
  for (const [name, check] of Object.entries(CASES)) {
    try {
      await check({ main, shared });
      globalThis.console.log(`ok ${name}`);
    } catch (thrown) {
      failed.push(`${name}: ${thrown.message}`);
      globalThis.console.log(`failed ${name}: ${thrown.message}`);
    }
  }
  if (failed.length > 0) throw new Error(failed.join('\n'));
};
