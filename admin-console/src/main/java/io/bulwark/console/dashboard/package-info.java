/** The first page: how many more faults the cluster can take, and what is being done about those it has. */
@NullMarked
package io.bulwark.console.dashboard;

import org.jspecify.annotations.NullMarked;
