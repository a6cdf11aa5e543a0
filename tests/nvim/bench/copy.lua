-- A Neovim without the plugin that keeps a copy of the lines in Lua, as its client for language
-- servers does for any server: how much of the cost that is.
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      _G.bench_lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
    end)
  end,
})
