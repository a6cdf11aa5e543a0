//! The chain against a plain list of lines.

use proptest::prelude::*;

use super::{Chain, Node};
use crate::placing::line::LineStarts;
use crate::placing::side::Dictionary;

/// The lines of a chain from top to bottom.
fn nodes(chain: &Chain<'_>) -> Vec<Node> {
    std::iter::successors(Some(chain.next(chain.head())), |&node| {
        Some(chain.next(node))
    })
    .take_while(|&node| node != chain.tail())
    .collect()
}

proptest! {
    #[test]
    fn lines_are_numbered_as_in_a_list(
        live in 0..12_usize,
        splices in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, 0..4_usize), 0..12),
    ) {
        let text: String = (0..live).flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
        let dictionary = Dictionary::default();
        let mut chain = Chain::new(&text, LineStarts::of(&text), &dictionary);
        let mut model: Vec<String> = (0..live).map(|line| line.to_string()).collect();
        for (owner, (at, removed, added)) in splices.into_iter().enumerate() {
            let list = nodes(&chain);
            let at = at.index(list.len() + 1);
            let end = (at + removed).min(list.len());
            let after = at.checked_sub(1).map_or(chain.head(), |index| list[index]);
            let lines: Vec<String> = (0..added).map(|line| format!("{owner}.{line}")).collect();
            let texts = lines.iter().cloned().map(Into::into).collect();
            chain.splice(after, &list[at..end], texts, owner, &dictionary);
            model.splice(at..end, lines);

            let list = nodes(&chain);
            let contents: Vec<&str> = list.iter().map(|&node| chain.content(node)).collect();
            prop_assert_eq!(&contents, &model);
            prop_assert_eq!(chain.len(), model.len());
            for (number, &node) in list.iter().enumerate() {
                prop_assert_eq!(chain.line_number(node), number);
                prop_assert_eq!(chain.node_at(number), node);
            }
            prop_assert_eq!(chain.node_at(model.len()), chain.tail());
        }
    }
}
