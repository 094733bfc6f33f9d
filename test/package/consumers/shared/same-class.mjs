/** Prints which public names are not the same thing for `import` and `require`; none should be. */
import { createRequire } from 'node:module';

import * as imported from 'nestjs-leader-election';

const required = createRequire(import.meta.url)('nestjs-leader-election');
const names = Object.keys(imported);
const different = names.filter((name) => imported[name] !== required[name]);
console.log(JSON.stringify({ different, names: names.toSorted() }));
