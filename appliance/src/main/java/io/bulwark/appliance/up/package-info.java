/** The appliance on one machine as it runs: members, console, control socket, and the drills on its nodes. */
@NullMarked
package io.bulwark.appliance.up;

import org.jspecify.annotations.NullMarked;
