//! About how often the frequent words of Spanish are said.
//!
//! Orders of magnitude, which is what the choice of the rarest word of a phrase needs.

use super::NumberedWords;

/// Each with `floor(log2(occurrences in a million words))`.
pub(super) const FREQUENCY: NumberedWords = NumberedWords::new(
    "a 14, acuerdo 8, adios 8, agua 8, ahora 11, al 13, algo 10, alguien 10, alli 9, amigo 9, amor 8, ano 10,
    anos 10, antes 10, aqui 11, asi 10, aun 9, ayer 8, ayuda 8, ayudar 7, banco 7, bien 12, bonito 7,
    buen 9, buena 9, bueno 11, cabeza 8, cada 10, casa 10, casi 9, caso 8, cierto 7, ciudad 8, claro 9,
    cliente 8, como 12, comprar 8, con 13, contento 7, contra 10, correo 7, cosa 10, cosas 10, creo 10,
    cuando 11, cuenta 9, culpa 7, dar 9, de 15, decir 10, del 13, desde 11, despues 9, dia 10, dias 8,
    dificil 7, digo 9, dijo 10, dinero 9, dios 9, disculpe 8, donde 11, dos 10, duda 7, durante 10,
    ejemplo 8, el 14, ella 11, ellos 10, empresa 8, en 14, enojado 7, entender 7, entonces 10, entre 11,
    envio 7, era 11, eran 10, eres 10, error 7, es 13, esa 10, ese 10, eso 11, esos 10, espera 9, esperar 8,
    esta 12, estado 9, estan 10, estar 10, estas 11, este 12, esto 11, estos 9, estoy 11, explicar 7,
    facil 7, factura 7, falso 7, favor 10, feliz 8, forma 9, fue 11, fuera 8, gente 10, gracias 10, gran 9,
    grande 9, gusta 9, ha 11, haber 9, hablar 8, hace 10, hacer 11, haces 9, hasta 11, hay 11, hecho 9,
    hijo 9, historia 8, hola 10, hombre 9, hora 8, horas 8, hoy 10, idea 8, importante 8, ir 8, la 15,
    lado 8, lamento 8, las 13, le 12, les 10, libre 7, llamar 8, lo 13, los 14, luego 9, lugar 9, mal 9,
    mala 7, malo 7, manana 8, manera 9, mano 8, mas 12, me 13, mejor 10, menos 10, mensaje 7, mi 12,
    miedo 7, mientras 9, minutos 8, mira 9, mis 9, mismo 9, molesto 7, momento 9, muchas 10, mucho 10,
    mujer 9, mundo 9, muy 12, nada 11, nadie 9, necesito 9, ni 10, no 14, noche 9, nombre 9, nos 11,
    nosotros 10, nuestra 9, nuestro 9, nueva 8, nuevo 8, numero 8, nunca 10, o 12, ojos 8, orden 8, otra 10,
    otras 9, otro 10, otros 9, padre 9, pagar 8, pais 8, para 13, parte 10, pasa 9, pedido 8, peor 7,
    perdon 8, pero 12, persona 8, personas 8, poco 10, poder 9, por 13, porque 11, posible 8, precio 8,
    pregunta 8, primera 8, primero 9, problema 9, producto 7, puede 11, puedo 10, punto 8, que 15, queja 7,
    quien 11, quiere 9, quiero 10, quizas 8, rapido 7, razon 8, respuesta 7, saber 10, salir 8, se 14,
    sea 10, seguro 8, semana 8, senor 9, senora 9, ser 11, serio 8, servicio 8, si 12, sido 9, siempre 10,
    siento 9, sin 11, sobre 11, solo 11, son 11, soy 11, su 13, sus 10, tambien 10, tan 11, tarde 8,
    tarjeta 7, te 13, telefono 7, tengo 10, tiempo 10, tienda 7, tiene 11, tienes 10, toda 9, todas 10,
    todo 12, todos 11, trabajo 9, tres 9, triste 7, tu 11, tus 9, ultima 8, un 13, una 13, uno 10, usted 10,
    va 10, vamos 11, venir 8, ver 10, verdad 10, vez 10, vida 10, voy 10, y 14, ya 12, yo 12",
);
