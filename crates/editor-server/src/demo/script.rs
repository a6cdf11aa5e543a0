//! What the demo agent does, prompt by prompt.

/// What the agent does for one prompt.
pub(crate) struct Turn {
    /// What the user asks for, when `acp-lens demo` asks.
    pub(crate) prompt: &'static str,
    /// What the agent does, in order.
    pub(crate) steps: &'static [Step],
}

/// One thing that the agent does.
pub(crate) enum Step {
    /// Thinks aloud.
    Think(&'static str),
    /// Says something, word by word.
    Say(&'static str),
    /// Reads a file.
    Read {
        /// Path relative to the session's working directory.
        path: &'static str,
    },
    /// Writes a whole file.
    Write {
        /// Path relative to the session's working directory.
        path: &'static str,
        /// The new text.
        text: &'static str,
    },
    /// Replaces pieces of a file, each of which must be there exactly once.
    Edit {
        /// Path relative to the session's working directory.
        path: &'static str,
        /// Old and new text of each piece.
        edits: &'static [(&'static str, &'static str)],
    },
    /// Applies a patch, after the user has allowed it.
    Patch {
        /// The payload, as a model would write it.
        payload: &'static str,
    },
}

/// The files of the project before the agent comes: path and text.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("before/README.md")),
    ("receipt.py", include_str!("before/receipt.py")),
    ("notes/todo.txt", include_str!("before/notes/todo.txt")),
    (
        "notes/prices-2019.txt",
        include_str!("before/notes/prices-2019.txt"),
    ),
];

/// The script: the first prompt of a session runs the first turn, and so on.
pub(crate) const TURNS: &[Turn] = &[
    Turn {
        prompt: "Give 10 % off on orders of 20 pounds and more.",
        steps: &[
            Step::Think("The total is made in receipt.py; the rule deserves a file of its own."),
            Step::Read { path: "receipt.py" },
            Step::Write {
                path: "discount.py",
                text: include_str!("after/discount.py"),
            },
            Step::Edit {
                path: "receipt.py",
                edits: &[
                    (
                        "from dataclasses import dataclass\n",
                        "from dataclasses import dataclass\n\nfrom discount import discount\n",
                    ),
                    (
                        "    lines.append(f\"{'total':<24} {subtotal(items) / 100:>8.2f}\")\n",
                        "    amount = subtotal(items)\n    off = discount(amount)\n    if off:\n        \
                         lines.append(f\"{'discount':<24} {-off / 100:>8.2f}\")\n    \
                         lines.append(f\"{'total':<24} {(amount - off) / 100:>8.2f}\")\n",
                    ),
                ],
            },
            Step::Say("Orders of 20 pounds and more now get 10 % off, on a line of their own."),
        ],
    },
    Turn {
        prompt: "Add tests for it, and tidy up the notes.",
        steps: &[
            Step::Think("Tests first. Then the list of things to do can lose two lines."),
            // The piece is not in the file: the call fails, and so it must not show as a change.
            Step::Edit {
                path: "README.md",
                edits: &[("Prices are in cents.\n", "Prices are in pence.\n")],
            },
            Step::Edit {
                path: "README.md",
                edits: &[(
                    "Prices are in pence.\n",
                    "Prices are in pence. Orders of 20 pounds and more get 10 % off.\n",
                )],
            },
            Step::Patch {
                payload: "*** Begin Patch\n\
                 *** Add File: test_discount.py\n\
                 +from discount import discount\n\
                 +\n\
                 +\n\
                 +def test_small_orders_get_none():\n\
                 +    assert discount(1_999) == 0\n\
                 +\n\
                 +\n\
                 +def test_large_orders_get_a_tenth():\n\
                 +    assert discount(2_000) == 200\n\
                 *** Update File: notes/todo.txt\n\
                 *** Move to: docs/todo.txt\n\
                 @@\n\
                 -- discounts for large orders\n\
                 -- tests\n \
                 - another currency\n\
                 *** Delete File: notes/prices-2019.txt\n\
                 *** End Patch",
            },
            Step::Say("Two tests, and the notes are down to what is left to do."),
        ],
    },
];
