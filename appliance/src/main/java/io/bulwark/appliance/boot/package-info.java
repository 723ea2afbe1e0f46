/**
 * Roles as processes: {@code node}, {@code replica} and {@code console}, each from a YAML file whose keys Spring binds to
 * records once.
 */
@NullMarked
package io.bulwark.appliance.boot;

import org.jspecify.annotations.NullMarked;
