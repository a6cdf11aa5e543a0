-- The same Neovim with the plugin, and the recorded session shown.
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.runtimepath:prepend(vim.fs.normalize(here .. '/../../../editors/nvim'))
vim.g.acp_lens = { bin = vim.env.ACP_LENS_BIN, trace = vim.env.BENCH_TRACE }
