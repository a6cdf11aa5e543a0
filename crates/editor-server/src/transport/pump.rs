//! Moves the client's messages from the input to tower-lsp.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::frames::{Frames, Passed};

/// How the input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// `exit` after `shutdown`.
    Clean,
    /// `exit` without `shutdown`.
    Abrupt,
    /// The input ended or failed without `exit`.
    Lost,
}

impl End {
    /// The exit status that LSP asks for.
    pub fn code(self) -> i32 {
        match self {
            Self::Clean => 0,
            Self::Abrupt | Self::Lost => 1,
        }
    }
}

/// Reads until `exit` or the end of the input, then closes `output`.
pub(super) async fn pump(
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> End {
    let mut frames = Frames::default();
    let mut shut_down = false;
    loop {
        while let Some(frame) = frames.next() {
            shut_down |= frame.passed == Passed::Shutdown;
            if output.write_all(&frame.bytes).await.is_err() {
                return End::Lost;
            }
            if frame.passed == Passed::Exit {
                return if shut_down { End::Clean } else { End::Abrupt };
            }
        }
        match input.read_buf(frames.buffer()).await {
            Ok(0) => return End::Lost,
            Ok(_) => {}
            Err(why) => {
                tracing::warn!(%why, "standard input failed");
                return End::Lost;
            }
        }
    }
}
