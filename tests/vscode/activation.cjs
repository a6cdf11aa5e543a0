// Read by the extension host before anything else (`node --require`): writes to ACTIVATION_TIMES what
// each activation of the extension costs, one line of JSON each.
//
// The time that VS Code shows is wall time, and includes what other extensions load meanwhile.
// Here `cpuMs` is the time that this thread worked, whatever else the machine does.
const { appendFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");

const ours = path.join("dist", "extension.js");
const loadModule = Module._load;

/** What `run` gives, and what it cost. */
function measured(run) {
  const cpu = process.threadCpuUsage();
  const start = performance.now();
  const value = run();
  const { user, system } = process.threadCpuUsage(cpu);
  return { value, cpuMs: (user + system) / 1000, wallMs: performance.now() - start };
}

Module._load = function (request, ...rest) {
  if (!request.endsWith(ours) || !/[\\/]acp-lens\.acp-lens-/.test(request)) {
    return loadModule.call(this, request, ...rest);
  }
  const load = measured(() => loadModule.call(this, request, ...rest));
  return {
    ...load.value,
    activate(context) {
      const call = measured(() => load.value.activate(context));
      const times = {
        load: { cpuMs: load.cpuMs, wallMs: load.wallMs },
        activate: { cpuMs: call.cpuMs, wallMs: call.wallMs },
      };
      appendFileSync(process.env.ACTIVATION_TIMES, `${JSON.stringify(times)}\n`);
      return call.value;
    },
  };
};
