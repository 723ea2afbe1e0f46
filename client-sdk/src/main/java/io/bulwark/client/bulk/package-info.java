/** Work over many objects that the command line and the console share. */
@NullMarked
package io.bulwark.client.bulk;

import org.jspecify.annotations.NullMarked;
