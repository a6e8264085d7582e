//! The expressions of a protocol by how far they reach: most end where a sentence does, which is told by what they can read; the others
//! must be followed through the text.

use super::edges::Edges;
use super::{Expression, Reaches};
use std::sync::{Arc, OnceLock};

/// What is known of the expressions of a protocol before there is a text.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Those of which no match reaches over the end of a common sentence.
    near: Vec<Arc<Expression>>,
    /// What these can read together; `None` if there are none.
    together: Option<Edges>,
    /// All others, and what follows them: made when it is first asked. `None` inside: too large to be made.
    far: Vec<Arc<Expression>>,
    reaches: OnceLock<Option<Reaches>>,
}

impl Bounds {
    pub(crate) fn of(expressions: &[Arc<Expression>]) -> Self {
        let is_near = |expression: &Arc<Expression>| {
            // Over the end of another sentence (`." `) a match may still reach, so each is asked about.
            [". ", "! ", "? ", "\n", "。"].iter().all(|gap| edges(expression).end_in(gap, &|_| true))
        };
        let (near, far) = expressions.iter().cloned().partition::<Vec<_>, _>(is_near);
        let together = near.iter().map(edges).reduce(Edges::or);
        Self { near, together, far, reaches: OnceLock::new() }
    }

    /// Whether no match of those that end where sentences do reaches over the end of `gap`, which stands behind the last word of one.
    /// `stays`: whether a character of it is certain to be in the text that is searched.
    pub(crate) fn near_end_in(&self, gap: &str, stays: &dyn Fn(char) -> bool) -> bool {
        let end_in = |edges: &Edges| edges.end_in(gap, stays);
        self.together.is_none_or(|all| end_in(&all) || self.near.iter().all(|one| end_in(&edges(one))))
    }

    /// Whether there are others.
    pub(crate) fn must_follow(&self) -> bool {
        !self.far.is_empty()
    }

    /// What follows the others through the text; `None` if nothing can.
    pub(crate) fn far(&self) -> Option<&Reaches> {
        self.reaches.get_or_init(|| Reaches::of(self.far.clone())).as_ref()
    }
}

fn edges(expression: &Arc<Expression>) -> Edges {
    expression.facts.edges
}
