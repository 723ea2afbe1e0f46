package io.bulwark.console;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.bulwark.client.Bulwark;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.live.ClusterMeters;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.live.EventStreams;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.thymeleaf.spring6.SpringTemplateEngine;
import org.thymeleaf.spring6.templateresolver.SpringResourceTemplateResolver;
import org.thymeleaf.spring6.view.ThymeleafViewResolver;

/** The controllers of some packages with their templates, over a fake client, without a server and without sign-in. */
public final class ConsoleFixture {
    private ConsoleFixture() {}

    /**
     * Makes a console.
     *
     * @param client that acts for the person, who is called alice
     * @param capabilities packages below this one
     */
    public static MockMvc of(Bulwark client, String... capabilities) {
        return of(client, _ -> {}, capabilities);
    }

    /**
     * Makes a console with further beans.
     *
     * @param client that acts for the person, who is called alice
     * @param further registers them
     * @param capabilities packages below this one
     */
    public static MockMvc of(Bulwark client, Consumer<GenericWebApplicationContext> further, String... capabilities) {
        SignedIn alice = mock(SignedIn.class);
        when(alice.client()).thenReturn(client);
        when(alice.name()).thenReturn("alice");
        GenericWebApplicationContext context = new GenericWebApplicationContext(new MockServletContext());
        new AnnotatedBeanDefinitionReader(context).register(Web.class);
        context.registerBean(SignedIn.class, () -> alice);
        context.registerBean(ClusterWatch.class, () -> new ClusterWatch(client));
        context.registerBean(ClusterMeters.class);
        context.registerBean(EventStreams.class);
        context.registerBean(AccessLog.class, () -> new AccessLog(Path.of("target", "fixture"), Clock.systemUTC()));
        further.accept(context);
        List<String> packages = new ArrayList<>(List.of("http", "page", "job"));
        packages.addAll(List.of(capabilities));
        new ClassPathBeanDefinitionScanner(context)
                .scan(packages.stream()
                        .map(each -> "io.bulwark.console." + each)
                        .toArray(String[]::new));
        context.refresh();
        return MockMvcBuilders.webAppContextSetup(context).build();
    }

    /** Not a configuration by its annotation: the tests with a server scan for those. */
    @EnableWebMvc
    static class Web {
        @Bean
        ThymeleafViewResolver views(SpringResourceTemplateResolver templates) {
            SpringTemplateEngine engine = new SpringTemplateEngine();
            engine.setTemplateResolver(templates);
            ThymeleafViewResolver views = new ThymeleafViewResolver();
            views.setTemplateEngine(engine);
            views.setCharacterEncoding("UTF-8");
            return views;
        }

        @Bean
        SpringResourceTemplateResolver templates() {
            SpringResourceTemplateResolver templates = new SpringResourceTemplateResolver();
            templates.setPrefix("classpath:/templates/");
            templates.setSuffix(".html");
            templates.setCharacterEncoding("UTF-8");
            return templates;
        }
    }
}
