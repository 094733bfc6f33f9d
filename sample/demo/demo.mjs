/** `npm run demo`: compiles the library and the demo into a cache folder and starts it, with plain node. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { compile } from './compile.mjs';

const folder = await compile(['lib', 'sample/demo', 'test/support']);
await import(pathToFileURL(join(folder, 'sample/demo/main.js')).href);
