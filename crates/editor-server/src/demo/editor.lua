-- A plain Neovim 0.11 with acp-lens and nothing else: with its plugin where that is known, else
-- through Neovim's own LSP client, with lenses above each change and its diff on K.
vim.o.swapfile = false
vim.o.signcolumn = "yes"

local function hint(text)
  vim.api.nvim_create_autocmd("VimEnter", {
    callback = vim.schedule_wrap(function()
      vim.api.nvim_echo({ { text } }, false, {})
    end),
  })
end

if vim.env.ACP_LENS_DEMO_PLUGIN then
  vim.g.acp_lens = {
    bin = vim.env.ACP_LENS_DEMO_SERVER,
    trace = vim.env.ACP_LENS_DEMO_TRACE,
    root = function()
      return vim.fn.getcwd()
    end,
  }
  vim.opt.runtimepath:prepend(vim.env.ACP_LENS_DEMO_PLUGIN)
  hint(":AcpLens lists the changes, :AcpLens next jumps, K shows a diff, :qa ends")
  return
end
hint(":lua vim.lsp.codelens.run() on a lens, K shows a diff; the plugin adds :AcpLens; :qa ends")

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
