/** What the cluster reports, asked at a bounded rate for all pages, and the last hour of it. */
@NullMarked
package io.bulwark.console.live;

import org.jspecify.annotations.NullMarked;
