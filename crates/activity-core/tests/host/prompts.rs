//! Prompts, and questions of the agent.

use expect_test::expect;

use crate::script::check;

#[test]
fn prompts_are_checked_in_order() {
    check(
        "prompt _ /w r0
         prompt A /w r0
         load A /w
         ready
         prompt A /w r0
         loaded A
         prompt A /other r0
         prompt A /w r1
         prompt A /w r2
         load B /w
         loaded B
         prompt A /w r3",
        expect![[r"
            prompt _ /w r0
                prompt refused: the prompt names no session
            prompt A /w r0
                prompt refused: no session is open
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            prompt A /w r0
                prompt refused: the session is still being loaded
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            prompt A /other r0
                prompt refused: the session's directory is gone or leads elsewhere; start a new session
            prompt A /w r1
                send session/prompt A r1
            prompt A /w r2
                prompt refused: a prompt of this session is running; wait for it or cancel it
            load B /w
                send session/load B, generation 2
                wake at 60000
            loaded B
                loaded B, generation 2, batch []
            prompt A /w r3
                prompt refused: another session is open; load this one first
        "]],
    );
}

#[test]
fn history_ends_with_the_first_prompt() {
    check(
        "load A /w
         ready
         loaded A
         update A old
         prompt A /w r1
         update A now
         done A r1
         update A after",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            update A old
                show old of A, generation 1, historical
            prompt A /w r1
                send session/prompt A r1
            update A now
                show now of A, generation 1, live
            done A r1
                prompt of A ends: Ok("end_turn")
            update A after
                show after of A, generation 1, live
        "#]],
    );
}

#[test]
fn permission_is_asked_for_a_running_prompt_only() {
    check(
        "load A /w
         ready
         ask A 1
         loaded A
         ask A 2
         prompt A /w r1
         at 17
         ask A 3
         answer B acp-permission-17-1 allow
         answer A acp-permission-17-1 allow
         answer A acp-permission-17-1 allow
         ask A 4
         cancel A
         ask A 5
         done A r1
         ask A 6",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            ask A 1
                answer 1: cancelled
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            ask A 2
                answer 2: cancelled
            prompt A /w r1
                send session/prompt A r1
            at 17
            ask A 3
                ask acp-permission-17-1 for A, generation 1
            answer B acp-permission-17-1 allow
                no open question acp-permission-17-1
            answer A acp-permission-17-1 allow
                answer 3: allow
                close acp-permission-17-1: allow
            answer A acp-permission-17-1 allow
                no open question acp-permission-17-1
            ask A 4
                ask acp-permission-17-2 for A, generation 1
            cancel A
                send session/cancel A
                answer 4: cancelled
                close acp-permission-17-2: cancelled
            ask A 5
                ask acp-permission-17-3 for A, generation 1
            done A r1
                answer 5: cancelled
                close acp-permission-17-3: cancelled
                prompt of A ends: Ok("end_turn")
            ask A 6
                answer 6: cancelled
        "#]],
    );
}

#[test]
fn a_session_that_is_closed_while_its_prompt_runs_can_be_opened_again() {
    check(
        "load A /w
         ready
         loaded A
         prompt A /w r1
         ask A 1
         close A
         update A unseen
         prompt A /w r2
         load A /w
         done A r1
         loaded A
         update A seen
         prompt A /w r3",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            prompt A /w r1
                send session/prompt A r1
            ask A 1
                ask acp-permission-0-1 for A, generation 1
            close A
                send session/cancel A
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                prompt of A ends: Err("the session was closed")
                send session/close A
            update A unseen
                unknown session A
            prompt A /w r2
                prompt refused: no session is open
            load A /w
                send session/load A, generation 2
                wake at 60000
            done A r1
                wake at 60000
            loaded A
                loaded A, generation 2, batch []
            update A seen
                show seen of A, generation 2, historical
            prompt A /w r3
                send session/prompt A r3
        "#]],
    );
}
