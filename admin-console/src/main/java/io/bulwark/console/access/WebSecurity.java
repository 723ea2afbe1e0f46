package io.bulwark.console.access;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Rules of access, and the headers that confine what a page may load. */
@Configuration(proxyBeanMethods = false)
class WebSecurity {
    /** Scripts and styles come from this server's own files alone; nothing inline runs. */
    static final String CONTENT_SECURITY_POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
            + " form-action 'self'; frame-ancestors 'none'";

    @Bean
    SecurityFilterChain web(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .headers(headers -> headers.contentSecurityPolicy(
                        policy -> policy.policyDirectives(CONTENT_SECURITY_POLICY)))
                .build();
    }
}
