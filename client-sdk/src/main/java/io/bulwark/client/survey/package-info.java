/** Asks every node and replica how it is. Each answers for itself, so nothing is decided by what a single one says. */
@NullMarked
package io.bulwark.client.survey;

import org.jspecify.annotations.NullMarked;
