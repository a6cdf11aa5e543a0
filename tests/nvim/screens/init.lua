-- The configuration of the screen tests: as Neovim comes, with what differs from run to run left out.
dofile(
  vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))), 'init.lua')
)
vim.o.statusline = ' %t%m%=%l '
vim.o.ruler = false
vim.o.showcmd = false
vim.o.background = vim.env.SCREENS_BACKGROUND or 'dark'
vim.g.acp_lens = { bin = vim.env.ACP_LENS_BIN, notify = false }
