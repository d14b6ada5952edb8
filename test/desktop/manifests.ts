/** A manifest with one error, and the file that it imports, for tests in a real VS Code. */
export const MAIN = `{
  "version": 1,
  "entry": "Feature",
  "imports": ["./shared.json"],
  "workers": { "Worker:Coder": { "kind": "scripted", "answers": "./answers.json" } },
  "nodes": {
    "Feature": {
      "entry_block": "Write",
      "blocks": {
        "Write": {
          "worker": "Worker:Coder",
          "transitions": [
            { "on_signal": "SIGNAL:SUCCESS", "action": "CALL:Review:Dnoe" },
            { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "HALT_AND_FLAG" }
          ]
        },
        "Done": { "worker": "Internal:ManualIntervention" }
      }
    }
  }
}
`;

export const SHARED = `{
  "version": 1,
  "nodes": {
    "Review": {
      "entry_block": "Read",
      "blocks": { "Read": { "worker": "Internal:ManualIntervention" } }
    }
  }
}
`;
