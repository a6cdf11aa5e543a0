-- A plain Neovim 0.11 with acp-lens and nothing else: lenses above each change, its diff on K.
vim.o.swapfile = false
vim.o.signcolumn = "yes"

local function refresh(buffer)
  if vim.api.nvim_buf_is_loaded(buffer) then
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  callback = function(args)
    vim.lsp.start({
      name = "acp-lens",
      cmd = { vim.env.ACP_LENS_DEMO_SERVER, "lsp" },
      root_dir = vim.fn.getcwd(),
      init_options = { trace = vim.env.ACP_LENS_DEMO_TRACE },
      handlers = {
        ["workspace/codeLens/refresh"] = function()
          for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
            refresh(buffer)
          end
          return vim.NIL
        end,
      },
      capabilities = vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), {
        workspace = { codeLens = { refreshSupport = true } },
      }),
    }, { bufnr = args.buf })
  end,
})

vim.api.nvim_create_autocmd({ "LspAttach", "BufEnter", "InsertLeave", "TextChanged" }, {
  callback = function(args)
    refresh(args.buf)
  end,
})
