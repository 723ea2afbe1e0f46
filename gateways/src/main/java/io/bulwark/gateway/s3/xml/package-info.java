/** XML of requests and responses: a reader that bounds all that it reads, and a writer. */
@NullMarked
package io.bulwark.gateway.s3.xml;

import org.jspecify.annotations.NullMarked;
