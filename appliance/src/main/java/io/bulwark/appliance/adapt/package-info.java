/** A run in which nodes lie, hang and die under load, and the cluster adapts (Agile Store, 3.3.1 and figure 6). */
@NullMarked
package io.bulwark.appliance.adapt;

import org.jspecify.annotations.NullMarked;
