{
  # For the development of RoboSmith only: the extension and the npm package need no Nix.
  description = "RoboSmith's development environment";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";

  outputs =
    { nixpkgs, ... }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem =
        makeOutputs: nixpkgs.lib.genAttrs systems (system: makeOutputs nixpkgs.legacyPackages.${system});
    in
    {
      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.nodejs_24 # LTS, with its own npm
            pkgs.git
            pkgs.rustc # for native builds of roberto-mcp
            pkgs.cargo
          ];
        };
      });
    };
}
