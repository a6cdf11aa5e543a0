//! The handlers of the requests about workspace files.

use tower_lsp::jsonrpc::Result;

use super::backend::Backend;
use super::error;
use super::ext::{
    AttachmentsParams, AttachmentsResult, FileParams, OpenHandlersResult, OpenWithParams,
    PreviewResult, ReadAttachmentParams, ReadParams, ReadResult, StatResult,
};
use crate::features::failure::Failure;
use crate::features::{attachments, files};

/// Runs file work away from the tasks that answer.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, Failure> + Send + 'static,
) -> Result<T> {
    files::blocking(work).await.map_err(error::answer)
}

impl Backend {
    pub(super) async fn stat(&self, params: FileParams) -> Result<StatResult> {
        blocking(move || files::stat(&params.file)).await
    }

    pub(super) async fn read(&self, params: ReadParams) -> Result<ReadResult> {
        blocking(move || files::read(&params)).await
    }

    pub(super) async fn preview(&self, params: FileParams) -> Result<PreviewResult> {
        blocking(move || files::preview(&params.file)).await
    }

    pub(super) async fn open_handlers(&self, params: FileParams) -> Result<OpenHandlersResult> {
        blocking(move || files::open_handlers(&params.file)).await
    }

    pub(super) async fn open_with(&self, params: OpenWithParams) -> Result<()> {
        blocking(move || files::open_file_with(&params)).await
    }

    pub(super) async fn reveal(&self, params: FileParams) -> Result<()> {
        blocking(move || files::reveal(&params.file)).await
    }

    pub(super) async fn attachments(&self, params: AttachmentsParams) -> Result<AttachmentsResult> {
        let listed = attachments::list(&self.handle, params.session).await;
        listed.map_err(error::answer)
    }

    pub(super) async fn read_attachment(&self, params: ReadAttachmentParams) -> Result<ReadResult> {
        let read = attachments::read(&self.handle, params).await;
        read.map_err(error::answer)
    }

    pub(super) async fn open_in_browser(&self, params: FileParams) -> Result<()> {
        blocking(move || files::open_in_browser(&params.file)).await
    }
}
