//! Loading sessions, and beginning new ones.

use expect_test::expect;

use crate::script::check;

#[test]
fn loads_run_one_after_another_and_a_failed_one_burns_its_number() {
    check(
        "load A /w
         load B /w
         ready
         load-fails
         loaded B",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            load B /w
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            load-fails
                load 1 fails: no such session
                send session/load B, generation 2
                wake at 60000
            loaded B
                loaded B, generation 2, batch []
        "]],
    );
}

#[test]
fn an_incomplete_load_is_refused() {
    check(
        "load _ /w
         load A _
         load A _ /w",
        expect![[r"
            load _ /w
                load 1 fails: the session, its root or its directory is missing
            load A _
                load 2 fails: the session, its root or its directory is missing
            load A _ /w
                load 3 fails: the session, its root or its directory is missing
        "]],
    );
}

#[test]
fn a_load_brings_its_updates_in_one_batch() {
    check(
        "load A /w
         ready
         update A u1
         update A u2
         update X stray
         update A u3
         loaded A
         update A late",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            update A u1
                wake at 60000
            update A u2
                wake at 60000
            update X stray
                unknown session X
                wake at 60000
            update A u3
                wake at 60000
            loaded A
                loaded A, generation 1, batch ["u1", "u2", "u3"]
            update A late
                show late of A, generation 1, historical
        "#]],
    );
}

#[test]
fn a_session_with_a_running_prompt_is_shown_while_another_is_loaded() {
    check(
        "opened A
         prompt A /w r1
         load B /w
         update A u1
         update B b1
         loaded B
         update A u2
         done A r1",
        expect![[r#"
            opened A
            prompt A /w r1
                send session/prompt A r1
            load B /w
                send session/load B, generation 2
                wake at 60000
            update A u1
                show u1 of A, generation 1, live
                wake at 60000
            update B b1
                wake at 60000
            loaded B
                loaded B, generation 2, batch ["b1"]
            update A u2
                show u2 of A, generation 1, live
            done A r1
                prompt of A ends: Ok("end_turn")
        "#]],
    );
}

#[test]
fn coming_back_to_a_running_prompt_replays_nothing() {
    check(
        "opened A
         prompt A /w r1
         ask A 7
         load B /w
         loaded B
         load A /w
         load A /other
         answer A acp-permission-0-1 allow",
        expect![[r"
            opened A
            prompt A /w r1
                send session/prompt A r1
            ask A 7
                ask acp-permission-0-1 for A, generation 1
            load B /w
                send session/load B, generation 2
                wake at 60000
            loaded B
                loaded B, generation 2, batch []
            load A /w
                resumed A, generation 1, batch []
            load A /other
                load 5 fails: Cannot change workspace while an ACP prompt is active
            answer A acp-permission-0-1 allow
                answer 7: allow
                close acp-permission-0-1: allow
        "]],
    );
}

#[test]
fn a_failed_load_leaves_the_session_before_it() {
    check(
        "load A /w
         ready
         loaded A
         load B /w
         update A u1
         load-fails
         update A u2
         prompt A /w r1",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            load B /w
                send session/load B, generation 2
                wake at 60000
            update A u1
                show u1 of A, generation 1, historical
                wake at 60000
            load-fails
                load 2 fails: no such session
            update A u2
                show u2 of A, generation 1, historical
            prompt A /w r1
                send session/prompt A r1
        "]],
    );
}
#[test]
fn a_new_session_keeps_what_came_before_its_answer() {
    check(
        "new /w
         ready
         update S1 a
         update S2 b
         loaded S1
         update S1 c",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            update S1 a
                wake at 60000
            update S2 b
                wake at 60000
            loaded S1
                created S1, generation 1, batch ["a"]
                unknown session S2
            update S1 c
                show c of S1, generation 1, live
        "#]],
    );
}
