/** Rules for requests of browsers from other origins. */
@NullMarked
package io.bulwark.gateway.s3.cors;

import org.jspecify.annotations.NullMarked;
