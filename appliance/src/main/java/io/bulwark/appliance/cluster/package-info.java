/**
 * The whole appliance on one machine: where its data lies, its storage nodes and replicas as members that can be stopped
 * and started one by one, inside this process or as processes of their own.
 */
@NullMarked
package io.bulwark.appliance.cluster;

import org.jspecify.annotations.NullMarked;
