/** The one executable: its entry point, and below it the roles, the embedded cluster and the command line. */
@NullMarked
package io.bulwark.appliance;

import org.jspecify.annotations.NullMarked;
