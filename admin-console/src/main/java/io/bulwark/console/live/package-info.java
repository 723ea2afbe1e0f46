/** Reports of the cluster, asked for at a bounded rate for all pages, and the last hour of them. */
@NullMarked
package io.bulwark.console.live;

import org.jspecify.annotations.NullMarked;
