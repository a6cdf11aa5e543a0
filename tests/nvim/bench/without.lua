-- A Neovim without the plugin, and with nothing of the person's own.
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
