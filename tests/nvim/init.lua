-- The configuration of every test: this plugin, its binary, and nothing of the person's own.
local root = vim.fs.dirname(
  vim.fs.dirname(vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2))))
)
vim.opt.runtimepath:prepend(root .. '/editors/nvim')
package.path = root .. '/tests/nvim/?.lua;' .. package.path
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
vim.o.more = false
vim.o.termguicolors = true
vim.g.acp_lens = { bin = vim.env.ACP_LENS_BIN }
