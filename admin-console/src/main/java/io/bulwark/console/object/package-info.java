/** Objects: the browser, uploads, downloads, and the location of each fragment. */
@NullMarked
package io.bulwark.console.object;

import org.jspecify.annotations.NullMarked;
