//! What cargo knows of the packages: those of the repository, and everything that they are made of.

use crate::test::cargo;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Stdio;

/// The answer of `cargo metadata`.
#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) target_directory: PathBuf,
    workspace_members: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) description: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) readme: Option<String>,
    pub(super) keywords: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) manifest_path: PathBuf,
    pub(super) dependencies: Vec<Dependency>,
    /// The registries that it may go to; `None`: any.
    pub(super) publish: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `None` for what the program itself is made of, else `dev` or `build`.
    pub(super) kind: Option<String>,
    /// The version that it must have; `*` where none is written.
    pub(super) req: String,
}

impl Metadata {
    pub(super) fn read() -> Result<Self, String> {
        let mut metadata = cargo();
        metadata.args(["metadata", "--format-version", "1", "--locked"]).stderr(Stdio::inherit());
        let output = metadata.output().map_err(|e| format!("cargo metadata: {e}"))?;
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))
    }

    /// The packages of the repository.
    pub(super) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.is_member(package))
    }

    pub(super) fn is_member(&self, package: &Package) -> bool {
        self.workspace_members.contains(&package.id)
    }

    pub(super) fn version_of(&self, member: &str) -> Result<String, String> {
        let found = self.members().find(|package| package.name == member);
        found
            .map(|package| package.version.clone())
            .ok_or_else(|| format!("no crate `{member}` in the repository"))
    }

    pub(super) fn find(&self, part: &Part) -> Result<&Package, String> {
        let found = self.packages.iter().find(|package| package.name == part.0 && package.version == part.1);
        found.ok_or_else(|| format!("cargo metadata does not know {} {}", part.0, part.1))
    }
}

/// A package by name and version.
pub(super) type Part = (String, String);

/// What a package is made of when it is built by itself, with what each part needs directly. What runs only while building
/// (build scripts, macros) and what tests need is no part of it.
pub(super) struct Tree {
    pub(super) root: Part,
    pub(super) needs: BTreeMap<Part, BTreeSet<Part>>,
}

impl Tree {
    /// The tree of a package of the repository with its default features, for one platform.
    pub(super) fn of(package: &str, triple: &str) -> Result<Self, String> {
        let mut tree = cargo();
        tree.args(["tree", "--locked", "--package", package, "--target", triple]);
        tree.args(["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "|{p}"]);
        let output = tree.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo tree: {e}"))?;
        Self::parse(&String::from_utf8_lossy(&output.stdout))
            .ok_or_else(|| format!("cargo tree of {package} cannot be read"))
    }

    /// Reads lines such as `2|serde v1.0.228 (*)`; one that ends with `(*)` was shown with what it needs before.
    fn parse(text: &str) -> Option<Self> {
        let mut needs: BTreeMap<Part, BTreeSet<Part>> = BTreeMap::new();
        let mut above: Vec<Part> = Vec::new();
        for line in text.lines() {
            let (depth, package) = line.split_once('|')?;
            let mut words = package.split(' ');
            let part = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
            above.truncate(depth.parse().ok()?);
            if let Some(parent) = above.last() {
                needs.entry(parent.clone()).or_default().insert(part.clone());
            }
            needs.entry(part.clone()).or_default();
            above.push(part);
        }
        Some(Self { root: above.into_iter().next()?, needs })
    }

    /// Everything in it but itself.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.needs.keys().filter(|part| **part != self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn what_needs_what_is_read_from_the_depth() {
        let text = "0|a v1.0.0 (/somewhere/a)\n1|b v0.2.0\n2|c v3.0.0\n1|d v0.1.0\n2|b v0.2.0 (*)\n";
        let tree = Tree::parse(text).expect("can be read");
        let part = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        assert_eq!(tree.root, part("a", "1.0.0"));
        assert!(tree.needs[&tree.root].iter().eq([&part("b", "0.2.0"), &part("d", "0.1.0")]));
        assert!(tree.needs[&part("d", "0.1.0")].iter().eq([&part("b", "0.2.0")]));
        assert_eq!(tree.parts().count(), 3);
        assert!(Tree::parse("").is_none());
    }
}
