-- A Neovim without the plugin, with a language server that does nothing.
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
vim.lsp.config('nothing', {
  cmd = { vim.v.progpath, '--clean', '-l', here .. '/server.lua' },
  filetypes = { 'lua' },
  root_dir = vim.fn.getcwd(),
})
vim.lsp.enable('nothing')
