/** The machine that finds the bug first: see the packages beneath. {@code engine} runs, {@code campaign} drives and judges. */
@NullMarked
package io.bulwark.simulation;

import org.jspecify.annotations.NullMarked;
