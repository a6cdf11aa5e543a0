//! Listing the programs for a workspace file, and opening it with one of them.

use std::path::Path;

use workspace_fs::{ReferenceError, Root, reference};

use super::handlers::{Handler, Platform, is_handler_id, menu_of};

/// What a system knows of programs.
pub trait HandlerService {
    /// The programs that can open the file; their icons only when asked for.
    ///
    /// # Errors
    /// The system does not answer.
    fn enumerate(&mut self, path: &Path, with_icons: bool) -> Result<Vec<Handler>, ReferenceError>;

    /// What decides which programs those are, for example the type of the file. A program is started
    /// only if it is the same as when the list was made.
    ///
    /// # Errors
    /// The system does not answer.
    fn association(&mut self, path: &Path) -> Result<String, ReferenceError>;

    /// Starts the program with the file.
    ///
    /// # Errors
    /// The program does not start.
    fn launch(&mut self, handler: &Handler, path: &Path) -> Result<(), ReferenceError>;
}

/// The programs for a file of the workspace, in the order of a menu. On Linux there are none.
///
/// # Errors
/// Nothing is there, it is no file, or the path leads outside.
pub fn list_handlers(
    platform: Platform,
    root: &Root,
    relative: &str,
    service: &mut dyn HandlerService,
) -> Result<Vec<Handler>, ReferenceError> {
    let path = reference::native_path(root, relative)?;
    match platform {
        Platform::Linux => Ok(Vec::new()),
        Platform::Darwin | Platform::Win32 => service.enumerate(&path, true).map(menu_of),
    }
}

/// Opens a file of the workspace with a program of its list.
///
/// The list is made anew; then the reference is resolved once more, and the program is started only if
/// both the file and what decides about its programs are the same as before.
///
/// # Errors
/// No such file, no such program, or the system has no such action.
pub fn open_with(
    platform: Platform,
    root: &Root,
    relative: &str,
    handler_id: &str,
    service: &mut dyn HandlerService,
) -> Result<(), ReferenceError> {
    let path = reference::native_path(root, relative)?;
    if !is_handler_id(handler_id) {
        return Err(ReferenceError::OperationFailed);
    }
    if platform == Platform::Linux {
        return Err(ReferenceError::UnsupportedPlatform);
    }
    let association = service.association(&path)?;
    let handlers = menu_of(service.enumerate(&path, false)?);
    let handler = handlers
        .into_iter()
        .find(|handler| handler.id == handler_id);
    let handler = handler.ok_or(ReferenceError::OperationFailed)?;
    let again = reference::native_path(root, relative)?;
    if again != path || service.association(&again)? != association {
        return Err(ReferenceError::OperationFailed);
    }
    service.launch(&handler, &again)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;

    /// Knows one program, writes down what it is asked, and may change the world meanwhile.
    struct Recorder<'r> {
        asked: Vec<&'static str>,
        on_enumerate: &'r dyn Fn(),
        associations: Vec<&'static str>,
    }

    impl Recorder<'_> {
        fn new() -> Self {
            Recorder {
                asked: Vec::new(),
                on_enumerate: &|| {},
                associations: vec!["text", "text"],
            }
        }
    }

    impl HandlerService for Recorder<'_> {
        fn enumerate(
            &mut self,
            _: &Path,
            with_icons: bool,
        ) -> Result<Vec<Handler>, ReferenceError> {
            self.asked.push(if with_icons {
                "list"
            } else {
                "list without icons"
            });
            (self.on_enumerate)();
            Ok(vec![Handler {
                id: "x".to_owned(),
                name: "X".to_owned(),
                is_default: true,
                icon: None,
            }])
        }

        fn association(&mut self, _: &Path) -> Result<String, ReferenceError> {
            self.asked.push("association");
            Ok(self.associations.remove(0).to_owned())
        }

        fn launch(&mut self, _: &Handler, _: &Path) -> Result<(), ReferenceError> {
            self.asked.push("launch");
            Ok(())
        }
    }

    struct Fixture {
        _temporary: tempfile::TempDir,
        root: Root,
    }

    fn fixture() -> Fixture {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("ws/d")).unwrap();
        fs::write(path.join("ws/hello.txt"), "hello").unwrap();
        fs::write(path.join("out.txt"), "outside").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(path.join("out.txt"), path.join("ws/link")).unwrap();
        let root = Root::open(&path.join("ws")).unwrap();
        Fixture {
            _temporary: temporary,
            root,
        }
    }

    /// The published vectors of the native actions.
    #[cfg(unix)]
    #[test]
    fn vectors() {
        let Fixture { root, _temporary } = fixture();
        for vector in
            crate::desktop::tests::vectors(include_str!("../../tests/fixtures/native.json"))
        {
            let input = &vector["input"];
            let text = |key: &str| input[key].as_str().unwrap_or_default();
            let platform = match text("platform") {
                "darwin" => Platform::Darwin,
                "win32" => Platform::Win32,
                _ if input.get("platform").is_none() => Platform::Darwin,
                _ => Platform::Linux,
            };
            let id = match text("handlerId") {
                r#""x"*513"# => "x".repeat(513),
                id => id.to_owned(),
            };
            let mut service = Recorder::new();
            let got = match text("call") {
                "listWorkspaceOpenHandlers" => {
                    list_handlers(platform, &root, text("relativePath"), &mut service).map(|list| {
                        let shown = |handler: &Handler| {
                            json!({
                                "handlerId": handler.id, "name": handler.name,
                                "isDefault": handler.is_default,
                            })
                        };
                        let list: Vec<Value> = list.iter().map(shown).collect();
                        json!({"ok": true, "platform": platform.as_str(), "handlers": list})
                    })
                }
                _ => open_with(platform, &root, text("relativePath"), &id, &mut service)
                    .map(|()| json!({"ok": true})),
            };
            let got = got.unwrap_or_else(|error| json!({"ok": false, "error": error.as_str()}));
            assert_eq!(got, vector["expected"], "{}", vector["id"]);
        }
    }

    #[test]
    fn a_program_is_started_after_everything_was_looked_at_again() {
        let Fixture { root, _temporary } = fixture();
        let mut service = Recorder::new();
        open_with(Platform::Darwin, &root, "hello.txt", "x", &mut service).unwrap();
        let expect = ["association", "list without icons", "association", "launch"];
        assert_eq!(service.asked, expect);
    }

    fn check_refused(service: &mut Recorder<'_>, fixture: &Fixture, id: &str, expect: &str) {
        let opened = open_with(Platform::Win32, &fixture.root, "hello.txt", id, service);
        assert_eq!(opened.map_err(ReferenceError::as_str), Err(expect));
        assert!(!service.asked.contains(&"launch"));
    }

    #[test]
    fn nothing_is_started_when_the_file_or_its_programs_changed_meanwhile() {
        let fixture = fixture();
        check_refused(&mut Recorder::new(), &fixture, "gone", "operationFailed");
        let mut service = Recorder {
            associations: vec!["text", "other"],
            ..Recorder::new()
        };
        check_refused(&mut service, &fixture, "x", "operationFailed");
        let path = fixture.root.path().join("hello.txt");
        let remove = || fs::remove_file(&path).unwrap();
        let mut service = Recorder {
            on_enumerate: &remove,
            ..Recorder::new()
        };
        check_refused(&mut service, &fixture, "x", "notFound");
    }
}
