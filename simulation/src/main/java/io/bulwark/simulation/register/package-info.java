/**
 * Registers whose holders are replaced again and again, in campaigns of any protocol (docs/decisions/0016). The package
 * has the replicas' view of the volume, the operator, the nodes' duties to the metadata, and clients that continue in
 * the current epoch.
 */
@NullMarked
package io.bulwark.simulation.register;

import org.jspecify.annotations.NullMarked;
