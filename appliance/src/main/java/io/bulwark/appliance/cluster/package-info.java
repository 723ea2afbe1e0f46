/**
 * The whole appliance on one machine: its data directory, and its storage nodes and replicas as members. Each member
 * can be stopped and started on its own, inside this process or in a process of its own.
 */
@NullMarked
package io.bulwark.appliance.cluster;

import org.jspecify.annotations.NullMarked;
