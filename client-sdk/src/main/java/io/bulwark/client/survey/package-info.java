/** Asks every node and replica for its status. Each answers for itself, so a single answer decides nothing. */
@NullMarked
package io.bulwark.client.survey;

import org.jspecify.annotations.NullMarked;
