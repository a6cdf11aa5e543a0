//! The requests of a client under `acpLens/`, each with the handler that answers it.

/// Calls a macro with one line for each request: its type in [`ext`](super::ext), and its handler
/// in [`Backend`](super::backend::Backend).
macro_rules! with_routes {
    ($then:ident) => {
        $then! {
            Sessions => sessions,
            Changes => changes,
            Diff => diff,
            Hunks => hunks,
            GoTo => go_to,
            TextDocumentContent => text_document_content,
            OpenTrace => open_trace,
            CloseTrace => close_trace,
            Stat => stat,
            Read => read,
            Preview => preview,
            OpenHandlers => open_handlers,
            OpenWith => open_with,
            Reveal => reveal,
            OpenInBrowser => open_in_browser,
            Attachments => attachments,
            ReadAttachment => read_attachment,
            Agents => agents,
            SessionNew => session_new,
            SessionLoad => session_load,
            SessionList => session_list,
            SessionPrompt => session_prompt,
            SessionCancel => session_cancel,
            SessionClose => session_close,
            SessionRespondPermission => session_respond_permission,
            SessionSubscribe => session_subscribe,
            SessionSetMode => session_set_mode,
            SessionSetConfigOption => session_set_config_option,
        }
    };
}
pub(super) use with_routes;
