/**
 * Admin endpoint of a process for operators' tools, over HTTP on a port of its own. It reports whether the members do
 * their work, and serves their meters in Prometheus format. One endpoint serves all members of a process.
 */
@NullMarked
package io.bulwark.appliance.admin;

import org.jspecify.annotations.NullMarked;
