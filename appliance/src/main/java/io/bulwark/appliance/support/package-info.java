/**
 * An archive for people who help with a problem: status, logs, versions, limits and configuration of an appliance,
 * bounded, and without secrets.
 */
@NullMarked
package io.bulwark.appliance.support;

import org.jspecify.annotations.NullMarked;
