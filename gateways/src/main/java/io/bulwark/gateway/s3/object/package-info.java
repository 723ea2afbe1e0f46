/** Operations about objects. */
@NullMarked
package io.bulwark.gateway.s3.object;

import org.jspecify.annotations.NullMarked;
