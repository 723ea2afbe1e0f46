/**
 * What operators' tools ask a process: whether its members do their work, and their meters as Prometheus reads them, over HTTP on
 * a port of its own. One endpoint serves all members of a process.
 */
@NullMarked
package io.bulwark.appliance.admin;

import org.jspecify.annotations.NullMarked;
