/**
 * Control of a running appliance or supervisor by {@code status}, {@code down}, {@code node} and {@code replica
 * recover}, over a Unix domain socket of mode 0600 in its data directory. One request per connection, one line of JSON
 * each way, bounded.
 */
@NullMarked
package io.bulwark.appliance.control;

import org.jspecify.annotations.NullMarked;
