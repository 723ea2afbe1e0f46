/** The {@code bulwark} command line: one class per command, thin over the SDK and the control socket. */
@NullMarked
package io.bulwark.appliance.cli;

import org.jspecify.annotations.NullMarked;
