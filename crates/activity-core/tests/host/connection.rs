//! The agent's process and its connection: their ends, and what outlives them.

use expect_test::expect;

use crate::script::check;

#[test]
fn the_end_of_the_process_ends_everything() {
    check(
        "load A /w
         ready
         loaded A
         prompt A /w r1
         ask A 1
         exit
         prompt A /w r2
         load A /w
         ready
         loaded A",
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
            exit
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                prompt of A ends: Err("exit status: 1")
            prompt A /w r2
                prompt refused: no session is open
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 2
                wake at 60000
            loaded A
                loaded A, generation 2, batch []
        "#]],
    );
}

#[test]
fn an_agent_that_dies_at_its_start_fails_the_load_that_needed_it() {
    check(
        "load A /w
         load B /w
         exit
         ready
         loaded B",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            load B /w
                wake at 60000
            exit
                load 1 fails: exit status: 1
                start the agent
                wake at 60000
            ready
                send session/load B, generation 1
                wake at 60000
            loaded B
                loaded B, generation 1, batch []
        "]],
    );
}

#[test]
fn an_agent_that_hangs_is_given_up() {
    check(
        "load A /w
         at 59999
         at 60000
         load A /w
         ready
         at 100000
         update A u1
         at 159999
         at 160000
         loaded A",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            at 59999
                wake at 60000
            at 60000
                stop the agent
                load 1 fails: the agent did not answer in time
            load A /w
                start the agent
                wake at 120000
            ready
                send session/load A, generation 1
                wake at 120000
            at 100000
                wake at 120000
            update A u1
                wake at 160000
            at 159999
                wake at 160000
            at 160000
                load 2 fails: the agent did not answer in time
                unknown session A
            loaded A
        "]],
    );
}

#[test]
fn an_unacknowledged_prompt_outlives_a_broken_connection_by_five_seconds() {
    check(
        "opened A
         prompt A /w r1
         at 1000
         disconnect
         at 5999
         at 6000",
        expect![[r#"
            opened A
            prompt A /w r1
                send session/prompt A r1
            at 1000
            disconnect
                wake at 6000
            at 5999
                wake at 6000
            at 6000
                prompt of A ends: Err("the connection with the agent broke: end of file")
        "#]],
    );
}

#[test]
fn an_acknowledged_prompt_outlives_a_broken_connection_by_a_minute() {
    check(
        "opened A
         prompt A /w r1
         update A u1
         ask A 1
         disconnect
         at 5000
         at 59999
         load A /w
         at 60000",
        expect![[r#"
            opened A
            prompt A /w r1
                send session/prompt A r1
            update A u1
                show u1 of A, generation 1, live
            ask A 1
                ask acp-permission-0-1 for A, generation 1
            disconnect
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                wake at 60000
            at 5000
                wake at 60000
            at 59999
                wake at 60000
            load A /w
                wake at 60000
            at 60000
                prompt of A ends: Err("the connection with the agent broke: end of file")
                stop the agent
                start the agent
                wake at 120000
        "#]],
    );
}

#[test]
fn a_connection_that_comes_back_is_listened_to_before_runs_are_asked_after() {
    check(
        "opened A
         new /w
         loaded B
         prompt B /w r2
         load A /w
         loaded A
         prompt A /w r1
         disconnect
         reconnect
         run-ended r1
         run r2
         done B r2",
        expect![[r#"
            opened A
            new /w
                send session/new in /w
                wake at 60000
            loaded B
                created B, generation 2, batch []
            prompt B /w r2
                send session/prompt B r2
            load A /w
                send session/load A, generation 3
                wake at 60000
            loaded A
                loaded A, generation 3, batch []
            prompt A /w r1
                send session/prompt A r1
            disconnect
                wake at 5000
            reconnect
                listen to A
                listen to B
                ask after run r1
                ask after run r2
                wake at 5000
            run-ended r1
                prompt of A ends: Ok("end_turn")
                wake at 5000
            run r2
            done B r2
                prompt of B ends: Ok("end_turn")
        "#]],
    );
}

#[test]
fn a_run_is_taken_up_by_its_name_alone() {
    check(
        "opened A
         prompt A /w K
         ask A 1
         disconnect
         reconnect
         run R2 from X
         run K from K
         run R2 from K
         at 60000
         done A K
         done A R2",
        expect![[r#"
            opened A
            prompt A /w K
                send session/prompt A K
            ask A 1
                ask acp-permission-0-1 for A, generation 1
            disconnect
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                wake at 60000
            reconnect
                listen to A
                ask after run K
                wake at 60000
            run R2 from X
                wake at 60000
            run K from K
            run R2 from K
                A: run R2 takes up K, whose open calls have failed
            at 60000
            done A K
            done A R2
                prompt of A ends: Ok("end_turn")
        "#]],
    );
}

#[test]
fn what_is_answered_twice_or_late_changes_nothing() {
    check(
        "load A /w
         ready
         loaded A
         loaded A
         load-fails
         prompt A /w r1
         done A r1
         done A r1
         done B r1",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            loaded A
            load-fails
            prompt A /w r1
                send session/prompt A r1
            done A r1
                prompt of A ends: Ok("end_turn")
            done A r1
            done B r1
        "#]],
    );
}
