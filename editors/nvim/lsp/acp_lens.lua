-- For `vim.lsp.enable('acp_lens')` and `vim.lsp.config('acp_lens', {...})`.
return require('acp_lens.client').config()
