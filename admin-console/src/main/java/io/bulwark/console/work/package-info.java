/** Background work of the nodes and replicas: verification, scrubbing, repair, rebuilding, recovery. */
@NullMarked
package io.bulwark.console.work;

import org.jspecify.annotations.NullMarked;
